"""What crosses the wall between lintorch and the process that runs models: plain values and their wire form."""
