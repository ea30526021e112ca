/** Bodies of configuration documents and of histories that take much time or memory to read, by what is hostile about them. */

const MIB = 1024 * 1024

/** Parts joined by commas, as many as fit. */
function list(part: (i: number) => string, maxBytes: number, maxParts = Number.POSITIVE_INFINITY): string {
  const parts: string[] = []
  for (let [i, bytes] = [0, 0]; i < maxParts; i += 1) {
    const next = part(i)
    bytes += next.length + 1
    if (bytes > maxBytes) break
    parts.push(next)
  }
  return parts.join(',')
}

export function hostileDocuments(maxBytes = 16 * MIB): Readonly<Record<string, string>> {
  const room = maxBytes - 200
  const monitors = (members: string) => `{"document":{"version":1,"monitors":{${members}}}}`
  return {
    'empty lists in a name': monitors(`"a":{"name":[${list(() => '[]', room)}]}`),
    'unknown fields of a monitor': monitors(`"a":{${list((i) => `"${i}":0`, room)}}`),
    'empty monitors': monitors(list((i) => `"k${i}":{}`, room)),
    '19,999 empty monitors': monitors(list((i) => `"k${i}":{}`, room, 19_999)),
    '80 monitors of 4,900 unknown fields': monitors(
      list((k) => `"k${k}":{${list((i) => `"nmae${i}":0`, room / 80, 4_900)}}`, room, 80),
    ),
    '19,999 monitors with a long unknown field': monitors(
      list((i) => `"k${i}":{"${'u'.repeat(400)}":0}`, room, 19_999),
    ),
    'a key of megabytes': monitors(`"${'k'.repeat(room)}":{}`),
    'a text of megabytes': monitors(`"a":{"name":"${'n'.repeat(room)}"}`),
    'unknown kinds': `{"document":{"version":1,${list((i) => `"kind${i}":{}`, room)}}}`,
    'deep lists': monitors(`"a":{"name":${'['.repeat(room / 2)}${']'.repeat(room / 2)}}`),
    'deep objects': monitors(`"a":${'{"a":'.repeat(room / 6)}0${'}'.repeat(room / 6)}`),
    'defaults of 1 MiB for 19,999 monitors':
      `{"document":{"version":1,"defaults":{"monitors":{"name":"${'n'.repeat(MIB / 2)}"}},` +
      `"monitors":{${list((i) => `"k${i}":{}`, room - MIB / 2, 19_999)}}}}`,
    'references to nothing': `{"document":{"version":1,"statusPages":{"a":{"name":"A","sections":[{"name":"S","monitors":[${list((i) => `{"monitor":"m${i}"}`, room, 4_900)}]}]}}}}`,
    'list instead of a document': `{"document":[${list(() => '{}', room)}]}`,
    'no object at all': `[${list(() => '{}', room)}]`,
    'not JSON': '{'.repeat(room),
  }
}

export function hostileHistories(maxBytes = 16 * MIB): Readonly<Record<string, string>> {
  const room = maxBytes - 200
  const days = (members: string) => `{"source":"s","monitors":[{"key":"a","hours":[],"days":[${members}]}]}`
  return {
    'short lists': days(list(() => '[]', room)),
    'days beyond the limit': days(list((i) => `[${i * 86_400},1,1,1,1,1,1]`, room)),
    '3,660 days with faults': days(list(() => '[1,null,"x",1,1e308,1,1]', room, 3_660)),
    'a thousand monitors without a source': `{"source":"s","monitors":[${list((i) => `{"key":"k${i}","hours":[],"days":[${list((d) => `[${d * 86_400},1,1,1,1,1,1]`, room / 1_000, 100)}]}`, room, 1_000)}]}`,
    monitors: `{"source":"s","monitors":[${list(() => '{}', room)}]}`,
    'a number beyond all bounds': days('[0,1,1,1,1e308,1,1]'),
  }
}
