import { truncate } from '../../lib/text.ts'
import { Malformed, objectIn, optionalList, optionalText, portIn, textIn, textsIn } from '../shape.ts'
import type { Container } from './map.ts'

/** The parts of the containers that discovery uses. Those that do not have the documented form are left out and reported. */
export function readContainers(items: readonly unknown[], problems: string[]): readonly Container[] {
  return items.flatMap((item) => {
    try {
      return [readContainer(item)]
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      const { Id } = Object(item) as { readonly Id?: unknown }
      const name = typeof Id === 'string' ? truncate(Id, 64) : 'without an id'
      problems.push(`Container ${name} cannot be used: ${error.message}`)
      return []
    }
  })
}

function readContainer(item: unknown): Container {
  const { Id, Names, Labels, State, Ports, HostConfig } = objectIn(item, 'it')
  const mode = optionalText(objectIn(HostConfig ?? {}, 'HostConfig').NetworkMode, 'HostConfig.NetworkMode')
  return {
    Id: textIn(Id, 'Id'),
    Names: optionalList(Names, 'Names', (name) => textIn(name, 'Names')) ?? [],
    Labels: textsIn(Labels, '', 'Labels'),
    State: textIn(State, 'State'),
    Ports: optionalList(Ports, 'Ports', readPort) ?? [],
    HostConfig: { ...(mode !== undefined && { NetworkMode: mode }) },
  }
}

function readPort(port: unknown) {
  const { PrivatePort, PublicPort, Type } = objectIn(port, 'Ports')
  return {
    PrivatePort: portIn(PrivatePort, 'Ports.PrivatePort'),
    // 0 or absent: not published.
    ...(Boolean(PublicPort) && { PublicPort: portIn(PublicPort, 'Ports.PublicPort') }),
    Type: textIn(Type, 'Ports.Type'),
  }
}
