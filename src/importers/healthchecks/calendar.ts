const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const shorthands: Readonly<Record<string, string>> = {
  minutely: '* * * * *',
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 1',
  monthly: '0 0 1 * *',
}

const form =
  /^(?:(?<weekdays>[A-Za-z,.]+)\s+)?(?:\*-\*-(?<day>\*|\d{1,2})\s+)?(?<hour>[\d*/,]+):(?<minute>[\d*/,]+)(?::0{1,2})?$/

/** The cron expression that means the same as a simple OnCalendar expression of systemd. */
export function cronOfCalendar(text: string): string | undefined {
  const given = text.trim()
  if (Object.hasOwn(shorthands, given.toLowerCase())) return shorthands[given.toLowerCase()]
  const { weekdays, day = '*', hour = '', minute = '' } = form.exec(given)?.groups ?? {}
  const dayOfWeek = weekdays === undefined ? '*' : cronDays(weekdays)
  // With both, systemd requires both and cron either of them.
  if (hour === '' || dayOfWeek === undefined || (dayOfWeek !== '*' && day !== '*')) return undefined
  const fields = [minute, hour].map((field) => field.replace(/^0\//, '*/').replace(/\b0+(?=\d)/g, ''))
  return [...fields, day.replace(/^0+/, ''), '*', dayOfWeek].join(' ')
}

function cronDays(text: string): string | undefined {
  const numberOf = (name: string) => days.indexOf(`${name.charAt(0).toUpperCase()}${name.slice(1, 3).toLowerCase()}`)
  const parts = text.split(',').map((part) => part.split('..').map(numberOf))
  if (parts.flat().includes(-1) || parts.some((range) => range.length > 2)) return undefined
  return parts.map(([from = 0, to]) => (to === undefined ? `${from}` : `${from}-${to === 0 ? 7 : to}`)).join(',')
}
