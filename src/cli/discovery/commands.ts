import { connectionOptions } from '../api/connect.ts'
import type { ClientCommand, Option } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'

const commonOptions: Readonly<Record<string, Option>> = {
  output: { short: 'o', value: 'FILE', help: 'Write the document to a file (default: standard output)' },
  apply: { help: 'Apply the document to the server' },
  watch: { help: 'Follow changes until Ctrl+C; needs --apply or --output' },
  grace: { value: 'DURATION', help: 'How long a monitor is kept after its container or object is gone (default: 24h)' },
  json: { help: 'Print the document as JSON' },
}

function sourceOption(source: string): Option {
  return { value: 'NAME', help: `The source of the document: one for each host or cluster (default: ${source})` }
}

const commonNotes = [
  'Addresses must be reachable from the Pharos server. Monitors of what is gone stay and alert; they get the label',
  'missing-since, and are released after the grace period. Read docs/discovery.md for labels and annotations.',
]

const discoverDocker: ClientCommand = {
  name: 'discover docker',
  summary: 'Find monitors in the labels of Docker containers',
  options: {
    source: sourceOption('discover-docker'),
    host: { value: 'NAME', help: 'How the server reaches this Docker host; ports in labels then mean published ports' },
    ...commonOptions,
    ...connectionOptions,
  },
  notes: () => commonNotes,
  examples: [
    'docker run -d --label pharos.http=https://shop.example.com --label pharos.labels=team=shop shop',
    'pharos discover docker',
    'pharos discover docker --watch --apply',
  ],
  variables: ['DOCKER_HOST names the Docker API (default: unix:///var/run/docker.sock).', CONNECTION_NOTE],
  async call(environment, args) {
    const [{ docker }, { discover }] = await Promise.all([import('./platforms.ts'), import('./discover.ts')])
    return discover(discoverDocker, 'discover-docker', environment, args, () => docker(environment, args.options.host))
  },
}

const discoverKubernetes: ClientCommand = {
  name: 'discover kubernetes',
  summary: 'Find monitors in Ingresses, HTTPRoutes and Services of a Kubernetes cluster',
  options: {
    source: sourceOption('discover-kubernetes'),
    all: { help: 'Use every Ingress and HTTPRoute, also without the annotation pharos.io/enabled' },
    namespace: { short: 'n', value: 'NAME', help: 'Only this namespace (default: all)' },
    context: { value: 'NAME', help: 'Context of the kubeconfig (default: the current one)' },
    kubeconfig: {
      value: 'FILE',
      help: 'Kubeconfig (default: KUBECONFIG, the own cluster in a pod, or ~/.kube/config)',
    },
    ...commonOptions,
    ...connectionOptions,
  },
  notes: () => commonNotes,
  examples: [
    'kubectl annotate ingress shop pharos.io/enabled=true pharos.io/path=/health',
    'pharos discover kubernetes',
    'pharos discover kubernetes --all --watch --apply',
  ],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const [{ kubernetes }, { discover }] = await Promise.all([import('./platforms.ts'), import('./discover.ts')])
    const { namespace, context, kubeconfig, all } = args.options
    return discover(discoverKubernetes, 'discover-kubernetes', environment, args, () =>
      kubernetes(environment, { namespace, context, kubeconfig, all: all !== undefined }),
    )
  },
}

export const discoveryCommands: readonly ClientCommand[] = [discoverDocker, discoverKubernetes]
