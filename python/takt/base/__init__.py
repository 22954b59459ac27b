"""What every package uses: errors, times, files as a whole, forks, the version."""
