import base64
import hashlib
import hmac
import json
import time

MAX_AGE_SECONDS = 300

def verify(secret: str, headers, raw_body: bytes):
    """The event, or ValueError if the request does not come from Pharos."""
    event_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        raise ValueError("Timestamp too old or too new")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + raw_body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split(" ")):
        raise ValueError("No matching signature")
    return json.loads(raw_body)
