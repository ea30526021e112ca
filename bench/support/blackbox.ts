import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../test/support/ports.ts'
import { temporaryFolder } from './children.ts'
import { cpuUsOf, repeat } from './processes.ts'

const PROGRAMS = ['prometheus-blackbox-exporter', 'blackbox_exporter']
const CONCURRENCY = 16

/** Configured like our checks: one address family, no certificate verification where ours does none. */
const modules = `modules:
  HTTP: { prober: http, http: { preferred_ip_protocol: ip4 } }
  HTTPS: { prober: http, http: { preferred_ip_protocol: ip4, tls_config: { insecure_skip_verify: true } } }
  PORT: { prober: tcp, tcp: { preferred_ip_protocol: ip4 } }
`

/** Path of prometheus-blackbox-exporter; undefined if it is not installed. */
export function findBlackbox(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.flatMap((folder) => PROGRAMS.map((program) => join(folder, program))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** CPU time of its process per probe, requested over HTTP as Prometheus does. */
export async function measureBlackbox(program: string, module: string, target: string, probes: number) {
  using folder = temporaryFolder()
  const config = join(folder.path, 'blackbox.yml')
  writeFileSync(config, modules)
  const port = await freePort()
  const child = spawn(program, [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: 'ignore',
  })
  const gone = once(child, 'exit')
  try {
    const { host } = new URL(target)
    const subject = module === 'PORT' ? host : target
    const path = `/probe?module=${module}&target=${encodeURIComponent(subject)}`
    const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
    const probe = async () => {
      const metrics = await ask(agent, port, path)
      if (!/^probe_success 1$/m.test(metrics)) throw new Error(`blackbox_exporter: a probe failed\n${metrics}`)
    }
    await untilItAnswers(() => ask(agent, port, path))
    await repeat(Math.ceil(probes / 5), CONCURRENCY, probe)
    const before = cpuUsOf(child.pid as number)
    await repeat(probes, CONCURRENCY, probe)
    const cpuUs = (cpuUsOf(child.pid as number) - before) / probes
    agent.destroy()
    return cpuUs
  } finally {
    child.kill()
    await gone
  }
}

function ask(agent: Agent, port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve(text))
    })
    asked.on('error', reject).end()
  })
}

async function untilItAnswers(probe: () => Promise<string>): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    if (await probe().then(Boolean, () => false)) return
    await setTimeout(100)
  }
  throw new Error('blackbox_exporter did not start')
}
