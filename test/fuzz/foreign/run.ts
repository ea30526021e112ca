import type { Arbitrary } from 'fast-check'
import { type SearchPlan, type SearchResult, search } from '../search.ts'
import { answerCase } from './answers.ts'
import { ForeignAnswers } from './ask-foreign-host.ts'
import type { AttackedServer, ForeignLane } from './attacked-server.ts'
import { documentCase } from './documents.ts'
import { dumpCase } from './dumps.ts'
import { startForeignHost } from './foreign-host.ts'
import { patternCase } from './patterns.ts'
import { DumpReaders } from './read-dumps.ts'
import { PatternSaver } from './save-patterns.ts'
import { DocumentSender } from './send-document.ts'

/** What comes from strangers. */
export const foreignKinds = ['documents', 'answers', 'dumps', 'patterns'] as const
export type ForeignKind = (typeof foreignKinds)[number]

export interface ForeignPlan extends SearchPlan {
  readonly kind: ForeignKind
}

const searches: Readonly<Record<ForeignKind, (plan: SearchPlan, lane: ForeignLane) => Promise<SearchResult>>> = {
  documents: async (plan, lane) => {
    const sender = new DocumentSender(lane)
    return runCases(plan, lane, documentCase, (one) => sender.send(one))
  },
  answers: async (plan, lane) => {
    await using host = await startForeignHost()
    await using greeter = await startForeignHost({ speaksFirst: true })
    const answers = new ForeignAnswers(lane, host, greeter)
    return await runCases(plan, lane, answerCase, (one) => answers.receive(one))
  },
  dumps: async (plan, lane) => {
    await using readers = new DumpReaders(lane)
    return await runCases(plan, lane, dumpCase, (one) => readers.read(one))
  },
  patterns: async (plan) => {
    await using saver = await PatternSaver.start()
    return await search(plan, patternCase, (one) => saver.save(one), { shrinks: false })
  },
}

/** Runs the cases one after the other. After each of them the server must be as usable as before. */
export async function runForeignPlan(server: AttackedServer, { kind, ...plan }: ForeignPlan): Promise<SearchResult> {
  using lane = server.openLane()
  return await searches[kind](plan, lane)
}

/** A failure may have ended the server, so its case is not reduced. */
async function runCases<T>(plan: SearchPlan, lane: ForeignLane, cases: Arbitrary<T>, hold: (one: T) => Promise<void>) {
  const holdAndAsk = async (one: T): Promise<void> => {
    await hold(one)
    await lane.requireAlive()
  }
  return search(plan, cases, holdAndAsk, { shrinks: false })
}
