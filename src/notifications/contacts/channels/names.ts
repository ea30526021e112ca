export const channelNames = [
  'EMAIL',
  'SLACK',
  'DISCORD',
  'TEAMS',
  'TELEGRAM',
  'PAGERDUTY',
  'OPSGENIE',
  'NTFY',
  'GOTIFY',
  'PUSHOVER',
  'WEBHOOK',
] as const

export type ChannelName = (typeof channelNames)[number]
