"""The paper on deferred preemption in RTAI/Linux (S1), made again."""
