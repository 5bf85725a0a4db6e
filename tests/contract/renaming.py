"""Decisions under other ids, whatever their shape."""


def ids_of(instance):
    return sorted(item for name, each in instance.relations.items() if each.is_roster for item in getattr(instance, name))


def renamed_decision(shape, decision, rename):
    return shape.parse({name: _renamed(value, rename) for name, value in shape.arguments(decision).items()})


def _renamed(value, rename):
    if isinstance(value, dict):
        return {rename(key): rename(option) for key, option in value.items()}
    return list(map(rename, value))
