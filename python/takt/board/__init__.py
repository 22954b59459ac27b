"""Systems on boards: images, firmware, emulators."""
