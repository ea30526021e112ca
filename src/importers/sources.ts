import type { ImportResult, Reader, SourceFile, SourceName } from './result.ts'

export interface Source {
  /** The name of the tool. */
  readonly title: string
  /** The files that its reader takes, for help and errors. */
  readonly files: string
  /** Loads the reader. Commands that do not import do not load it. */
  readonly load: () => Promise<Reader>
}

export const sources: Readonly<Record<SourceName, Source>> = {
  gatus: {
    title: 'Gatus',
    files: 'its YAML configuration: config.yaml, or all files of its configuration folder',
    load: async () => (await import('./gatus/read.ts')).readGatus,
  },
  kuma: {
    title: 'Uptime Kuma',
    files: 'kuma.db of Uptime Kuma 1.23 or 2, or a mysqldump of its database',
    load: async () => (await import('./kuma/read.ts')).readKuma,
  },
  healthchecks: {
    title: 'Healthchecks',
    files: 'answers of its API: GET /api/v3/checks/ and GET /api/v3/channels/',
    load: async () => (await import('./healthchecks/read.ts')).readHealthchecks,
  },
  betterstack: {
    title: 'Better Stack',
    files:
      'answers of its Uptime API: monitors, heartbeats, their groups, status pages, and the sections and resources of each page',
    load: async () => (await import('./betterstack/read.ts')).readBetterStack,
  },
  statuscake: {
    title: 'StatusCake',
    files:
      'answers of its API: the list of uptime checks and each check, heartbeats, SSL checks, contact groups, maintenance windows',
    load: async () => (await import('./statuscake/read.ts')).readStatusCake,
  },
  statuspage: {
    title: 'Statuspage',
    files:
      'answers of its API: page, components, component groups, incidents and subscribers; or the public summary.json of a page',
    load: async () => (await import('./statuspage/read.ts')).readStatuspage,
  },
  uptimerobot: {
    title: 'UptimeRobot',
    files: 'answers of its API, version 2 or 3: monitors, alert contacts, maintenance windows and status pages',
    load: async () => (await import('./uptimerobot/read.ts')).readUptimeRobot,
  },
}

/** Reads the files of a tool. Everything in the document is valid, except for values that come from variables. */
export async function readSource(source: Source, files: readonly SourceFile[]): Promise<ImportResult> {
  const [read, { dropInvalid }] = await Promise.all([source.load(), import('./drop-invalid.ts')])
  return dropInvalid(read(files))
}
