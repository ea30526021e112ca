import { dirname } from 'node:path/posix'
import type { Source } from './sources.ts'

/** One import that crosses from one child of a folder to another. */
interface Crossing {
  readonly file: string
  readonly line: number
  readonly target: string
}

/** The children of one folder (its files and subfolders) and the imports between them. */
export interface FolderGraph {
  readonly folder: string
  /** By importing child, then by imported child: the first import found. */
  readonly edges: ReadonlyMap<string, ReadonlyMap<string, Crossing>>
}

/** The graph of every folder below and including `root`. An import counts in the deepest folder that contains both files. */
export function folderGraphs(sources: readonly Source[], root: string): FolderGraph[] {
  const graphs = new Map<string, Map<string, Map<string, Crossing>>>()
  const known = new Set(sources.map(({ file }) => file))
  for (const { file, imports } of sources) {
    if (!file.startsWith(`${root}/`)) continue
    for (let folder = dirname(file); folder.length >= root.length; folder = dirname(folder)) {
      const children = graphs.get(folder) ?? new Map()
      graphs.set(folder, children)
      const from = childOf(folder, file)
      if (!children.has(from)) children.set(from, new Map())
    }
    for (const { target, line } of imports) {
      if (target === null || !known.has(target) || !target.startsWith(`${root}/`)) continue
      const folder = commonFolder(file, target)
      const edges = graphs.get(folder)?.get(childOf(folder, file))
      const to = childOf(folder, target)
      if (edges !== undefined && !edges.has(to)) edges.set(to, { file, line, target })
    }
  }
  return [...graphs].map(([folder, edges]) => ({ folder, edges })).sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

/** Groups of children that import each other, directly or through others. */
export function cycles({ edges }: FolderGraph): string[][] {
  const reach = new Map([...edges.keys()].map((child) => [child, reachable(edges, child)]))
  const groups: string[][] = []
  const done = new Set<string>()
  for (const [child, reached] of reach) {
    if (done.has(child) || !reached.has(child)) continue
    const group = [...reached].filter((other) => reach.get(other)?.has(child)).sort()
    for (const member of group) done.add(member)
    groups.push(group)
  }
  return groups
}

/** The edges that are not implied by a longer path. Expects a graph without cycles. */
export function reducedEdges({ edges }: FolderGraph): [string, string][] {
  const kept: [string, string][] = []
  for (const [from, targets] of edges) {
    const direct = [...targets.keys()]
    for (const to of direct) {
      const isImplied = direct.some((other) => other !== to && reachable(edges, other).has(to))
      if (!isImplied) kept.push([from, to])
    }
  }
  return kept.sort(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1))
}

function reachable(edges: FolderGraph['edges'], start: string): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    for (const next of edges.get(child)?.keys() ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  return reached
}

function childOf(folder: string, file: string): string {
  const rest = file.slice(folder.length + 1)
  const slash = rest.indexOf('/')
  return slash === -1 ? rest : rest.slice(0, slash)
}

function commonFolder(a: string, b: string): string {
  let folder = dirname(a)
  while (!b.startsWith(`${folder}/`)) folder = dirname(folder)
  return folder
}
