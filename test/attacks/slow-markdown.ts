/** The longest text that the API accepts. */
export const LENGTH = 50_000

/** The unit, repeated up to a length. */
export function repeat(unit: string, length = LENGTH): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
}

/** Each took 60 ms or more at this length, found by measuring every construct and by a random search over combinations. */
export const slowTexts: Readonly<Record<string, string>> = {
  lists: repeat('* a\n'),
  'empty headings': repeat('#\n'),
  paragraphs: repeat('a\n\n'),
  'lists and links': repeat(']\n1. __]\n1. __\nhttp://a.]b\n\n_\n\n\n_'),
  'open brackets': repeat('[x\n'),
  brackets: repeat('['),
  'links without an end': repeat('http://a.b/['),
  'addresses without an end': repeat('>"*[](b>"*"a*][b>"*"*[](b>"**'),
  addresses: repeat('<a@b.c>'),
  'addresses with foreign hosts': repeat(`<http://${'æøå'.repeat(60)}>`),
  emphasis: repeat('*a*'),
  'unmatched emphasis': 'a*'.repeat(LENGTH / 4) + '*a'.repeat(LENGTH / 4),
  'lines in nested quotes': `${'> '.repeat(19)}a\n${'a\n'.repeat(24_000)}`,
}

/** What people write. */
export const ordinaryText = repeat(`## Timeline

- **10:42** The [deploy](https://example.com/deploys/7) of \`api-7\` started, see https://example.com/log.
- **10:44** Error rate rose to *12 %*; the cause was a missing index on the table of sessions, which the new query needs.

The query took 40 s instead of 2 ms. All connections of the pool waited for it, so that no other request was answered.

> We should have noticed this in the staging environment.

\`\`\`sql
create index concurrently sessions_by_user on sessions (user_id);
\`\`\`

1. Test migrations with the data of production.
2. Alert on slow queries.

`)
