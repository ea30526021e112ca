<?php

const MAX_AGE_SECONDS = 300;

/** The event, or an exception if the request does not come from Pharos. Header names are in lower case. */
function verify(string $secret, array $headers, string $rawBody): array
{
    $id = $headers['webhook-id'];
    $timestamp = $headers['webhook-timestamp'];
    if (abs(time() - (int) $timestamp) > MAX_AGE_SECONDS) {
        throw new RuntimeException('Timestamp too old or too new');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $given) {
        if (hash_equals($expected, $given)) {
            return json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('No matching signature');
}
