"""The paper on a real-time rate-based task scheduler (S0), made again."""
