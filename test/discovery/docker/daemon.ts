import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { emptyDataDir } from '../../support/sqlite.ts'

/** A container as `GET /containers/json` of Docker 28 lists it. */
export function container(name: string, labels: Readonly<Record<string, string>>, more: object = {}) {
  const id = Buffer.from(name.padEnd(32, '-')).toString('hex').slice(0, 64)
  return {
    Id: id,
    Names: [`/${name}`],
    Image: 'nginx:1.29',
    ImageID: 'sha256:2cd1d97f893f70cee86a38b7160c30e5750f3ed6ad86c598884ca9c6a563a501',
    Command: "/docker-entrypoint.sh nginx -g 'daemon off;'",
    Created: 1_763_450_000,
    Ports: [] as { IP?: string; PrivatePort: number; PublicPort?: number; Type: string }[],
    Labels: { maintainer: 'NGINX Docker Maintainers', ...labels } as Record<string, string>,
    State: 'running',
    Status: 'Up 2 hours',
    HostConfig: { NetworkMode: 'bridge' },
    NetworkSettings: { Networks: { bridge: { IPAddress: '172.17.0.2', Gateway: '172.17.0.1' } } },
    Mounts: [],
    ...more,
  }
}

/** The labels that compose adds. */
export function compose(project: string, service: string, number = 1): Record<string, string> {
  return {
    'com.docker.compose.project': project,
    'com.docker.compose.service': service,
    'com.docker.compose.container-number': String(number),
    'com.docker.compose.oneoff': 'False',
  }
}

type Container = ReturnType<typeof container>

/** The list and the events of the Docker API on a Unix socket. */
export async function startDocker() {
  const containers = new Map<string, Container>()
  const streams = new Set<ServerResponse>()
  const events: { time: number; line: string }[] = []
  let fault: { status: number; body: string } | undefined
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://docker')
    response.setHeader('content-type', 'application/json')
    if (fault !== undefined) response.writeHead(fault.status).end(fault.body)
    else if (pathname === '/containers/json' && searchParams.get('all') === '1') {
      response.end(JSON.stringify([...containers.values()]))
    } else if (pathname === '/events') {
      response.writeHead(200).flushHeaders()
      for (const { time, line } of events) if (time >= Number(searchParams.get('since'))) response.write(line)
      streams.add(response.once('close', () => streams.delete(response)))
    } else response.writeHead(404).end('{"message":"page not found"}')
  })
  const socket = join(emptyDataDir(), 'docker.sock')
  await once(server.listen(socket), 'listening')
  return {
    host: `unix://${socket}`,
    containers,
    /** Changes the list, and sends the event. */
    emit(action: string, change: (all: Map<string, Container>) => void = () => {}): void {
      change(containers)
      const time = Math.floor(Date.now() / 1_000)
      const line = `${JSON.stringify({ status: action, Type: 'container', Action: action, time })}\n`
      events.push({ time, line })
      for (const stream of streams) stream.write(line)
    },
    /** Answers every request with an error, and breaks the streams. */
    fail(status: number, body: string): void {
      fault = { status, body }
      for (const stream of streams) stream.destroy()
    },
    recover(): void {
      fault = undefined
    },
    streams,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      server.close()
    },
  }
}
