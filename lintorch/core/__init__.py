"""What everything else speaks of: findings, rules, profiles, the one dispatcher."""
