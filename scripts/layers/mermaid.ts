import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderGraph, folderGraphs, reducedEdges } from './folder-graph.ts'
import type { Source } from './sources.ts'

/**
 * The folder graph of `src` as Mermaid: its folders, and inside each the subfolders. Arrows that follow from other arrows are
 * left out.
 */
export function mermaid(sources: readonly Source[]): string {
  const graphs = new Map(folderGraphs(sources, 'src').map((graph) => [graph.folder, graph]))
  const top = graphs.get('src')
  if (top === undefined) throw new Error('src holds no sources')
  const lines = ['graph TD']
  for (const folder of [...top.edges.keys()].sort()) {
    const inner = graphs.get(`src/${folder}`)
    const subfolders = inner === undefined ? [] : [...inner.edges.keys()].filter((child) => !child.includes('.')).sort()
    if (inner === undefined || subfolders.length < 2) {
      lines.push(`  ${folder}`)
      continue
    }
    lines.push(`  subgraph ${folder}`)
    const isFolder = (name: string): boolean => subfolders.includes(name)
    const arrows = reducedEdges(foldersOnly(inner, isFolder))
    for (const [from, to] of arrows) lines.push(`    ${node(folder, from)} --> ${node(folder, to)}`)
    for (const name of subfolders) {
      if (!arrows.some((arrow) => arrow.includes(name))) lines.push(`    ${node(folder, name)}`)
    }
    lines.push('  end')
  }
  for (const [from, to] of reducedEdges(top)) lines.push(`  ${from} --> ${to}`)
  return `${lines.join('\n')}\n`
}

/** Mermaid ids are letters, digits and underscores. */
function node(folder: string, name: string): string {
  return `${`${folder}_${name}`.replace(/\W/g, '_')}[${name}]`
}

function foldersOnly({ folder, edges }: FolderGraph, isFolder: (name: string) => boolean): FolderGraph {
  const folders = [...edges].filter(([from]) => isFolder(from))
  const withoutFiles = folders.map(
    ([from, targets]) => [from, new Map([...targets].filter(([to]) => isFolder(to)))] as const,
  )
  return { folder, edges: new Map(withoutFiles) }
}

const block = /(<!-- folder graph: node scripts\/layers\.ts --write -->\n```mermaid\n)[\s\S]*?(```\n)/

/** Whether ARCHITECTURE.md holds this graph. */
export function isDocumented(root: string, graph: string): boolean {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  return block.test(text) && text.replace(block, (_, start, end) => start + graph + end) === text
}

export function document(root: string, graph: string): void {
  const file = join(root, 'ARCHITECTURE.md')
  const text = readFileSync(file, 'utf8')
  if (!block.test(text)) throw new Error('ARCHITECTURE.md has no block marked <!-- folder graph: … -->')
  writeFileSync(
    file,
    text.replace(block, (_, start, end) => start + graph + end),
  )
}
