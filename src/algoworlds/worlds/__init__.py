"""From a coordinate to a pair of worlds, and the episode in which an agent plays one."""
