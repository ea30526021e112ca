import { truncate } from '../../lib/text.ts'
import { type Fields, Malformed, objectIn, optionalList, optionalText, portIn, textIn, textsIn } from '../shape.ts'
import { type Gateway, type HttpRoute, type Ingress, PREFIX, type Service } from './map.ts'

/**
 * The parts of the objects that discovery uses. The other parts are dropped, because those of a whole cluster may be large. Each
 * throws Malformed.
 */
const readers = {
  ingresses: (item: unknown): Ingress => ({ metadata: metadataIn(item), spec: ingressSpec(specIn(item)) }),
  httproutes: (item: unknown): HttpRoute => ({ metadata: metadataIn(item), spec: routeSpec(specIn(item)) }),
  gateways: (item: unknown): Gateway => ({ metadata: metadataIn(item), spec: gatewaySpec(specIn(item)) }),
  services: (item: unknown): Service => ({ metadata: metadataIn(item), spec: serviceSpec(specIn(item)) }),
}

const kinds = { ingresses: 'Ingress', httproutes: 'HTTPRoute', gateways: 'Gateway', services: 'Service' } as const

export type ListName = keyof typeof readers

/** The objects of a list. Those that do not have the documented form are left out and reported. */
export function readObjects(name: ListName, items: readonly unknown[], problems: string[]): readonly unknown[] {
  return items.flatMap((item) => {
    try {
      return [readers[name](item)]
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      problems.push(`${kinds[name]} ${labelOf(item)} cannot be used: ${error.message}`)
      return []
    }
  })
}

function labelOf(item: unknown): string {
  const { namespace, name } = Object((item as { metadata?: unknown } | null)?.metadata) as Fields
  return typeof name === 'string' ? truncate(`${namespace}/${name}`, 300) : 'without a name'
}

function metadataIn(item: unknown) {
  const { name, namespace, annotations } = objectIn(objectIn(item, 'it').metadata, 'metadata')
  return {
    name: textIn(name, 'metadata.name'),
    namespace: textIn(namespace, 'metadata.namespace'),
    annotations: textsIn(annotations, PREFIX, 'metadata.annotations'),
  }
}

function specIn(item: unknown): Fields {
  return objectIn(objectIn(item, 'it').spec ?? {}, 'spec')
}

function ingressSpec({ tls, rules }: Fields): Ingress['spec'] {
  return {
    tls: optionalList(tls, 'spec.tls', (one) => ({
      hosts: optionalList(objectIn(one, 'spec.tls').hosts, 'spec.tls.hosts', (host) => textIn(host, 'spec.tls.hosts')),
    })),
    rules: optionalList(rules, 'spec.rules', (one) => {
      const { host, http } = objectIn(one, 'spec.rules')
      const { paths } = objectIn(http ?? {}, 'spec.rules.http')
      return {
        host: optionalText(host, 'spec.rules.host'),
        paths: optionalList(paths, 'spec.rules.http.paths', (path) =>
          optionalText(objectIn(path, 'spec.rules.http.paths').path, 'spec.rules.http.paths.path'),
        ),
      }
    }),
  }
}

function routeSpec({ hostnames, parentRefs, rules }: Fields): HttpRoute['spec'] {
  return {
    hostnames: optionalList(hostnames, 'spec.hostnames', (host) => textIn(host, 'spec.hostnames')),
    parentRefs: optionalList(parentRefs, 'spec.parentRefs', (one) => {
      const { kind, name, namespace, sectionName, port } = objectIn(one, 'spec.parentRefs')
      return {
        kind: optionalText(kind, 'spec.parentRefs.kind'),
        name: textIn(name, 'spec.parentRefs.name'),
        namespace: optionalText(namespace, 'spec.parentRefs.namespace'),
        sectionName: optionalText(sectionName, 'spec.parentRefs.sectionName'),
        port: port === undefined ? undefined : portIn(port, 'spec.parentRefs.port'),
      }
    }),
    rules: optionalList(rules, 'spec.rules', (rule) => ({
      matches: optionalList(objectIn(rule, 'spec.rules').matches, 'spec.rules.matches', (match) => {
        const { type, value } = objectIn(objectIn(match, 'spec.rules.matches').path ?? {}, 'spec.rules.matches.path')
        return {
          type: optionalText(type, 'spec.rules.matches.path.type'),
          value: optionalText(value, 'spec.rules.matches.path.value'),
        }
      }),
    })),
  }
}

function gatewaySpec({ listeners }: Fields): Gateway['spec'] {
  return {
    listeners: optionalList(listeners, 'spec.listeners', (one) => {
      const { name, hostname, port, protocol } = objectIn(one, 'spec.listeners')
      return {
        name: textIn(name, 'spec.listeners.name'),
        hostname: optionalText(hostname, 'spec.listeners.hostname'),
        port: portIn(port, 'spec.listeners.port'),
        protocol: textIn(protocol, 'spec.listeners.protocol'),
      }
    }),
  }
}

function serviceSpec({ ports, externalName }: Fields): Service['spec'] {
  return {
    externalName: optionalText(externalName, 'spec.externalName'),
    ports: optionalList(ports, 'spec.ports', (one) => {
      const { name, port, protocol, appProtocol } = objectIn(one, 'spec.ports')
      return {
        name: optionalText(name, 'spec.ports.name'),
        port: portIn(port, 'spec.ports.port'),
        protocol: optionalText(protocol, 'spec.ports.protocol'),
        appProtocol: optionalText(appProtocol, 'spec.ports.appProtocol'),
      }
    }),
  }
}
