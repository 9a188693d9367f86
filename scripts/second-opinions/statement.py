"""Reads the statement of a bundle with the protocol buffers of in-toto: python statement.py BUNDLE"""

import base64
import json
import pathlib
import sys

from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement

envelope = json.loads(pathlib.Path(sys.argv[1], "certificate.intoto.json").read_text())
text = base64.b64decode(envelope["payload"], validate=True).decode()

# Members that the protocol buffers do not have are errors.
message = json_format.Parse(text, statement_pb2.Statement())
try:
    json_format.Parse(json.dumps({**json.loads(text), "award": "gold"}), statement_pb2.Statement())
    sys.exit("a member that no statement has was accepted")
except json_format.ParseError:
    pass
Statement.copy_from_pb(message).validate()

result = json_format.ParseDict(json.loads(text)["predicate"], test_result_pb2.TestResult())
for descriptor in result.configuration:
    ResourceDescriptor.copy_from_pb(descriptor).validate()
if result.result not in ("PASSED", "WARNED") or not result.passed_tests:
    sys.exit(f"the result is {result.result!r} with {len(result.passed_tests)} passed tests")
print(f"{result.result}, {len(result.passed_tests)} passed tests")
