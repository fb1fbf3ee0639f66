"""The messages of pprof's `perftools.profiles.Profile`, described here: no maintained package on PyPI has them.

In a pool of descriptors of their own, so that another package's `profile.proto` in the same process does not clash.
Source of fields and numbers: the format's definition, github.com/google/pprof, proto/profile.proto.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE: Final = "perftools.profiles"
_INT, _UNSIGNED, _BOOL, _TEXT = "int64", "uint64", "bool", "string"
_MESSAGES: Final[dict[str, tuple[tuple[int, str, str, bool], ...]]] = {
    "ValueType": ((1, "type", _INT, False), (2, "unit", _INT, False)),
    "Label": ((1, "key", _INT, False), (2, "str", _INT, False), (3, "num", _INT, False), (4, "num_unit", _INT, False)),
    "Sample": ((1, "location_id", _UNSIGNED, True), (2, "value", _INT, True), (3, "label", "Label", True)),
    "Line": ((1, "function_id", _UNSIGNED, False), (2, "line", _INT, False)),
    "Location": (
        (1, "id", _UNSIGNED, False),
        (2, "mapping_id", _UNSIGNED, False),
        (3, "address", _UNSIGNED, False),
        (4, "line", "Line", True),
        (5, "is_folded", _BOOL, False),
    ),
    "Function": (
        (1, "id", _UNSIGNED, False),
        (2, "name", _INT, False),
        (3, "system_name", _INT, False),
        (4, "filename", _INT, False),
        (5, "start_line", _INT, False),
    ),
    "Profile": (
        (1, "sample_type", "ValueType", True),
        (2, "sample", "Sample", True),
        (4, "location", "Location", True),
        (5, "function", "Function", True),
        (6, "string_table", _TEXT, True),
        (9, "time_nanos", _INT, False),
        (10, "duration_nanos", _INT, False),
        (11, "period_type", "ValueType", False),
        (12, "period", _INT, False),
        (13, "comment", _INT, True),
        (14, "default_sample_type", _INT, False),
    ),
}
"""(number, name, type, repeated). Numbers in `string_table` stand for texts."""


def profile_class() -> Any:
    """The class of `Profile`."""
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package=_PACKAGE, syntax="proto3")
    field_type = descriptor_pb2.FieldDescriptorProto
    scalars = {
        _INT: field_type.TYPE_INT64,
        _UNSIGNED: field_type.TYPE_UINT64,
        _BOOL: field_type.TYPE_BOOL,
        _TEXT: field_type.TYPE_STRING,
    }
    for message, fields in _MESSAGES.items():
        described = file.message_type.add(name=message)
        for number, name, kind, is_repeated in fields:
            label = field_type.LABEL_REPEATED if is_repeated else field_type.LABEL_OPTIONAL
            field = described.field.add(number=number, name=name, label=label, type=scalars.get(kind, field_type.TYPE_MESSAGE))
            if kind not in scalars:
                field.type_name = f".{_PACKAGE}.{kind}"
    pool: Any = descriptor_pool.DescriptorPool()  # its methods are not typed
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Profile"))
