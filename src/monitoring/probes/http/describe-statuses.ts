/** Such as "200-206, 301, 302": three or more in a row become a range. */
export function describeStatuses(expected: readonly number[]): string {
  const sorted = [...new Set(expected)].sort((a, b) => a - b)
  const parts: string[] = []
  for (let i = 0; i < sorted.length; ) {
    let end = i
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1
    if (end - i >= 2) parts.push(`${sorted[i]}-${sorted[end]}`)
    else parts.push(...sorted.slice(i, end + 1).map(String))
    i = end + 1
  }
  return parts.join(', ')
}
