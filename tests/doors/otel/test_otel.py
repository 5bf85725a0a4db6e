"""OpenTelemetry's own protocol definitions read our traces."""

import base64
import json

from google.protobuf import json_format
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from tests.command import run_here
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import Server


def encode_base64(digits):
    return base64.b64encode(bytes.fromhex(digits)).decode()


def decode_ids(value):
    """Ids are hex in OTLP's JSON, and base64 in protobuf's."""
    if isinstance(value, dict):
        ids = {"traceId", "spanId", "parentSpanId"}
        fields = value.items()
        return {name: encode_base64(field) if name in ids else decode_ids(field) for name, field in fields}
    return [decode_ids(item) for item in value] if isinstance(value, list) else value


def test_protobuf_parses_every_trace(suite, tmp_path):
    with Server(optimal_model(suite)) as server:
        run_model(suite, tmp_path / "run", server.configuration("responses"), server.environment, worlds="fleet*")
    assert run_here("export", "otel", tmp_path / "run", "--out", tmp_path / "traces.jsonl").returncode == 0
    lines = (tmp_path / "traces.jsonl").read_text().splitlines()
    assert len(lines) == 2
    for line in lines:
        data = json_format.ParseDict(decode_ids(json.loads(line)), TracesData())
        (root, *spans) = data.resource_spans[0].scope_spans[0].spans
        assert len(root.trace_id) == 16
        assert {len(span.span_id) for span in spans} == {8}
        assert {span.parent_span_id for span in spans} == {root.span_id}
        names = {attribute.key for span in spans for attribute in span.attributes}
        assert {"gen_ai.operation.name", "gen_ai.usage.input_tokens", "gen_ai.tool.call.result"} <= names
