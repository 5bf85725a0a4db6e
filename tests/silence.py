"""For work that tells how far it has come, where no test listens."""


def silent(*news):
    pass
