"""The paper on the general scheduling framework of RED-Linux (S3), made again."""
