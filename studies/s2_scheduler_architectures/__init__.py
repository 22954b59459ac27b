"""The paper on scheduler architectures (S2: SoRTS, Co-SoRTS, HaRTS), made again."""
