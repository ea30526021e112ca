import { discord } from './discord.ts'
import { email } from './email.ts'
import { gotify } from './gotify.ts'
import { ntfy } from './ntfy.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerDuty } from './pagerduty.ts'
import { pushover } from './pushover.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

export const channels = {
  EMAIL: email,
  SLACK: slack,
  DISCORD: discord,
  TEAMS: teams,
  TELEGRAM: telegram,
  PAGERDUTY: pagerDuty,
  OPSGENIE: opsgenie,
  NTFY: ntfy,
  GOTIFY: gotify,
  PUSHOVER: pushover,
  WEBHOOK: webhook,
} as const

export type ChannelName = keyof typeof channels

export const channelNames = Object.keys(channels) as readonly ChannelName[]
