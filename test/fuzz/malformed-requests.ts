import fc from 'fast-check'
import { bytes, request } from '../support/raw-http.ts'
import {
  type Attack,
  BODY,
  disconnects,
  expectations,
  type Headers,
  largeBodies,
  mutations,
  noise,
  pipelines,
  sending,
  someBytes,
} from './attacks.ts'

const LIST = '/api/v1/monitors?limit=2'

export function attackOf(key: string): fc.Arbitrary<Attack> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const fair = [
    request('GET', LIST, headers),
    request('GET', '/api/v1/monitors/mon_1', headers),
    request('POST', '/api/v1/monitors', headers, BODY),
    request('PATCH', '/api/v1/monitors/mon_1', headers, '{"name":"x"}'),
    request('DELETE', '/api/v1/monitors/mon_1', headers),
    request('POST', '/api/v1/monitors/mon_1/pause', headers, '{}'),
    request('POST', '/api/v1/monitors', { ...headers, 'Transfer-Encoding': 'chunked' }, `1d\r\n${BODY}\r\n0\r\n\r\n`),
    request('GET', LIST),
  ]
  return fc.oneof(
    { arbitrary: requestLines(key), weight: 5 },
    { arbitrary: headerLines(key), weight: 5 },
    { arbitrary: framings(headers), weight: 5 },
    { arbitrary: chunks(headers), weight: 4 },
    { arbitrary: pipelines(fair), weight: 4 },
    { arbitrary: expectations(headers), weight: 2 },
    { arbitrary: mutations(fair), weight: 12 },
    { arbitrary: noise, weight: 4 },
    { arbitrary: disconnects(fair), weight: 3 },
    { arbitrary: largeBodies(headers), weight: 1 },
  )
}

function requestLines(key: string): fc.Arbitrary<Attack> {
  const method = fc.constantFrom(
    ...['GET', 'get', 'G', 'BREW', 'PRI', 'QUERY', 'PROPFIND', 'M-SEARCH', 'SOURCE', 'OPTIONS', 'TRACE', 'PUT', 'LINK'],
    ...['', ' GET', 'GET\t', 'GÉT', 'GET\0', 'X'.repeat(100), 'CONNECT', 'HTTP/1.1', '\x16\x03\x01', 'POST'],
  )
  const target = fc.oneof(
    fc.constantFrom(LIST, '/api/v1', '/api/v1/', '/api/v1/%', '/api/v1/%zz', '/api/v1/%c0%af', '/api/v1/monitors/%00'),
    fc.constantFrom('/api/v1/monitors;a', '/api/v1/monitors#a', '/api/v1//monitors', '/api/v1/../v1/monitors'),
    fc.constantFrom('*', '', 'localhost:80', 'http://localhost/api/v1/monitors', '/api/v1/mon itors', '/api/v1/é'),
    fc.constantFrom(
      '?',
      '/api/v1?',
      `/api/v1/${'x'.repeat(15_000)}`,
      `/api/v1/${'x'.repeat(20_000)}`,
      `/?${'%41'.repeat(6_000)}`,
    ),
    someBytes(30).map((text) => `/api/v1/${text}`),
  )
  const version = fc.constantFrom(
    ...['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/9.9', 'HTTP/1'],
    ...['', 'http/1.1', 'HTTPS/1.1', 'HTTP/1.1 ', 'HTTP/1.10', 'ICE/1.0', 'RTSP/1.0', 'HTTP/1.1\0'],
  )
  const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '')
  const line = fc.tuple(method, target, version, end).map(([m, t, v, e]) => `${m} ${t}${v === '' ? '' : ` ${v}`}${e}`)
  return sending(
    'request line',
    line.map((text) => `${bytes(text)}Host: localhost\r\nX-API-Key: ${key}\r\n\r\n`),
    { mayBeOutsideApi: true },
  )
}

function headerLines(key: string): fc.Arbitrary<Attack> {
  const odd = fc.oneof(
    fc.constantFrom(
      'Host: a\r\n',
      'Host: \r\n',
      'Host: a b\r\n',
      'Host: a/b\r\n',
      'Host: user@a\r\n',
      'host: [::1]:80\r\n',
    ),
    fc.constantFrom('X\r\n', ': x\r\n', 'X : y\r\n', ' X: y\r\n', 'X: a\r\n b\r\n', 'X: a\nY: b\r\n', 'X: a\rY: b\r\n'),
    fc.constantFrom(
      'X: \0\r\n',
      'X\0: a\r\n',
      'X: \x7f\r\n',
      'X: \xff\r\n',
      'X-API-Key: b\r\n',
      'Authorization: Bearer c\r\n',
    ),
    fc.constantFrom('Idempotency-Key: a\r\nIdempotency-Key: b\r\n', 'Connection: close, x\r\n', 'Connection: \r\n'),
    fc.constantFrom(8, 14, 17, 70).map((kib) => `X: ${'x'.repeat(kib * 1024)}\r\n`),
    fc.constantFrom(50, 300, 2_500).map((many) => 'X: y\r\n'.repeat(many)),
    fc.constantFrom(
      'Upgrade: websocket\r\nConnection: Upgrade\r\n',
      'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n',
    ),
    someBytes(40).map((text) => `${text}\r\n`),
  )
  const host = fc.constantFrom('Host: localhost\r\n', 'Host: localhost\r\n', '')
  return sending(
    'header',
    fc
      .tuple(host, fc.array(odd, { minLength: 1, maxLength: 3 }))
      .map(([first, lines]) => `GET ${LIST} HTTP/1.1\r\n${first}X-API-Key: ${key}\r\n${lines.join('')}\r\n`),
    // A line break inside the head can turn the rest into a second request.
    { mayBeOutsideApi: true },
  )
}

function framings(headers: Headers): fc.Arbitrary<Attack> {
  const length = fc.constantFrom(
    ...['0', '1', '28', '29', '30', '300', '-1', '+29', '0x1d', '29, 29', '29,30', '', ' ', '2 9', '2e1', '29.0', 'x'],
    ...['99999999999', '18446744073709551616', '99999999999999999999999999', '029', '٢٩'],
  )
  const coding = fc.constantFrom(
    ...['chunked', 'Chunked', 'chunked, chunked', 'xchunked', 'identity', 'gzip', 'gzip, chunked', 'chunked;q=1', ''],
    ...['\x0bchunked', 'chunked, gzip', ' chunked', 'chunked\t', ', chunked'],
  )
  const lines = fc
    .tuple(fc.option(length), fc.option(length), fc.option(coding), fc.option(coding))
    .map((values) =>
      values
        .map((value, i) => (value === null ? '' : `${i < 2 ? 'Content-Length' : 'Transfer-Encoding'}: ${value}\r\n`))
        .join(''),
    )
  const body = fc.constantFrom(BODY, '', BODY.slice(0, 9), `${BODY}${BODY}`, `1d\r\n${BODY}\r\n0\r\n\r\n`, '0\r\n\r\n')
  return sending(
    'framing',
    fc
      .tuple(lines, body)
      .map(
        ([framing, text]) =>
          bytes(request('POST', '/api/v1/monitors', headers).replace('\r\n\r\n', `\r\n${framing}\r\n`)) + text,
      ),
  )
}

function chunks(headers: Headers): fc.Arbitrary<Attack> {
  const size = fc.constantFrom(
    ...[
      '1d',
      '1D',
      '0',
      '00',
      '1',
      '001d',
      'g',
      '-1',
      '+1d',
      ' 1d',
      '1d ',
      '0x1d',
      '',
      'ffffffffffffffff',
      'fffffffff',
    ],
    ...['1d;a=b', '1d;', '1d;"\0"', `1d;${'x'.repeat(20_000)}`, '1d\n', '1d\r'],
  )
  const chunk = fc
    .tuple(size, fc.constantFrom(BODY, BODY, '', 'x'), fc.constantFrom('\r\n', '\r\n', '\n', '', 'x'))
    .map(([head, data, tail]) => `${head}\r\n${data}${tail}`)
  const last = fc.constantFrom(
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\n',
    '0',
    '',
    '0\r\nX-Trailer: 1\r\n\r\n',
    '0\r\nHost: b\r\n\r\n',
  )
  return sending(
    'chunks',
    fc
      .tuple(fc.array(chunk, { maxLength: 3 }), last)
      .map(
        ([list, end]) =>
          request('POST', '/api/v1/monitors', { ...headers, 'Transfer-Encoding': 'chunked' }) + list.join('') + end,
      ),
  )
}
