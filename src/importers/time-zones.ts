import { parseTimeZone } from '../lib/time-zone.ts'

/** Names of Ruby on Rails that are not the city of an IANA name. */
const railsNames: Readonly<Record<string, string>> = {
  'Eastern Time (US & Canada)': 'America/New_York',
  'Central Time (US & Canada)': 'America/Chicago',
  'Mountain Time (US & Canada)': 'America/Denver',
  'Pacific Time (US & Canada)': 'America/Los_Angeles',
  'Atlantic Time (Canada)': 'America/Halifax',
  'Indiana (East)': 'America/Indiana/Indianapolis',
  Alaska: 'America/Juneau',
  Arizona: 'America/Phoenix',
  Hawaii: 'Pacific/Honolulu',
  Newfoundland: 'America/St_Johns',
  'Central America': 'America/Guatemala',
  Saskatchewan: 'America/Regina',
  Brasilia: 'America/Sao_Paulo',
  Edinburgh: 'Europe/London',
  Bern: 'Europe/Zurich',
  Kyiv: 'Europe/Kiev',
  'St. Petersburg': 'Europe/Moscow',
  'Abu Dhabi': 'Asia/Dubai',
  Islamabad: 'Asia/Karachi',
  Chennai: 'Asia/Kolkata',
  Kolkata: 'Asia/Kolkata',
  Mumbai: 'Asia/Kolkata',
  'New Delhi': 'Asia/Kolkata',
  Kathmandu: 'Asia/Kathmandu',
  Astana: 'Asia/Almaty',
  Hanoi: 'Asia/Bangkok',
  Beijing: 'Asia/Shanghai',
  Osaka: 'Asia/Tokyo',
  Sapporo: 'Asia/Tokyo',
  Canberra: 'Australia/Sydney',
  Wellington: 'Pacific/Auckland',
  Pretoria: 'Africa/Johannesburg',
  'West Central Africa': 'Africa/Algiers',
}

/** The IANA name of a time zone, which may be given by the name that Ruby on Rails has for it. UTC, and a loss, if it is unknown. */
export function timeZoneOf(name: string, losses: string[]): string {
  if (name === '') return 'UTC'
  const ofRails = Object.hasOwn(railsNames, name) ? railsNames[name] : undefined
  const known = ofRails ?? parseTimeZone(name) ?? zoneOfCity(name)
  if (known === undefined) losses.push(`The time zone "${name}" is not known: UTC is used.`)
  return known ?? 'UTC'
}

function zoneOfCity(city: string): string | undefined {
  const end = `/${city.replaceAll(' ', '_')}`
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.endsWith(end))
}
