"""What a model computes, known without running it: one abstract interpreter that all rules stand on."""
