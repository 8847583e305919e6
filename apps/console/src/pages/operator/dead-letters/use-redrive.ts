import { useSignal } from '@preact/signals'
import { useMutation } from '@tanstack/preact-query'
import { useEffect, useRef } from 'preact/hooks'
import { leadingOn } from '../../../api/pages-query.ts'
import { queryClient } from '../../../api/query-client.ts'
import { type KindName, type LetterFilter, letterKinds, type Tried, type Wanted } from './kinds.ts'

export const changes = ['operator', 'dead letters'] as const

export type Redriven = { ids: readonly string[] } | { filter: LetterFilter }

/** `looking`: in a dry run. */
export interface Redrive {
  at: 'looking' | 'asking' | 'running' | 'stopped' | 'done'
  /** Counts by outcome. */
  outcomes: Record<string, number>
  /** The first letters that were not retried. */
  stayed: readonly Tried[]
  hasMore: boolean
}

const perCall = 100
const stayedMax = 100
const nothing = { outcomes: {}, stayed: [], hasMore: false }
/** Outcomes of letters that are retried. */
const goOn = new Set(['retried', 'planned'])

export function tally({ outcomes }: Redrive): { tried: number; others: number } {
  const sum = (isWanted: (word: string) => boolean) =>
    Object.entries(outcomes).reduce((total, [word, count]) => total + (isWanted(word) ? count : 0), 0)
  return { tried: sum((word) => goOn.has(word)), others: sum((word) => !goOn.has(word)) }
}

export const wouldBeTried = ({ outcomes }: Redrive): number => outcomes.would_be_tried ?? 0

/** Begins with a dry run. `start` then retries call by call until all are done or `stop` is called. */
export function useRedriving(kind: KindName, redriven: Redriven) {
  const { mutateAsync, error } = useMutation({
    mutationFn: ({ wanted, dryRun }: { wanted: Wanted; dryRun: boolean }) =>
      letterKinds[kind].redrive?.(wanted, dryRun) ?? Promise.reject(new Error(`${kind} cannot be tried again`)),
    gcTime: 0,
    meta: { toldByForm: true },
  })
  const redrive = useSignal<Redrive>({ at: 'looking', ...nothing })
  const run = useRef(0)

  async function go(dryRun: boolean): Promise<void> {
    run.current += 1
    const own = run.current
    const isOurs = () => run.current === own
    redrive.value = { at: dryRun ? 'looking' : 'running', ...nothing }
    for await (const { tried, hasMore } of callsOf(redriven, (wanted) => mutateAsync({ wanted, dryRun }))) {
      if (!isOurs()) return
      redrive.value = { ...add(redrive.value, tried), hasMore }
      // The dry run ends at the first hit: there may be millions.
      if (dryRun && 'filter' in redriven && wouldBeTried(redrive.value) > 0) break
    }
    redrive.value = { ...redrive.value, at: dryRun ? 'asking' : 'done' }
  }
  const begin = (dryRun: boolean) => go(dryRun).catch(() => stop())
  function stop(): void {
    run.current += 1
    if (redrive.value.at === 'running') redrive.value = { ...redrive.value, at: 'stopped' }
  }
  useEffect(() => {
    void begin(true)
    return () => {
      stop()
      void queryClient.invalidateQueries({ queryKey: changes })
    }
  }, [])
  return { redrive: redrive.value, error, look: () => void begin(true), start: () => void begin(false), stop }
}

type Call = (wanted: Wanted) => Promise<{ tried: Tried[]; nextCursor: string | null }>

async function* callsOf(redriven: Redriven, call: Call): AsyncGenerator<{ tried: Tried[]; hasMore: boolean }> {
  if ('ids' in redriven) {
    for (let at = 0; at < redriven.ids.length; at += perCall) {
      const { tried } = await call({ ids: redriven.ids.slice(at, at + perCall) })
      yield { tried, hasMore: false }
    }
    return
  }
  const asked: { cursor: string | undefined }[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    asked.push({ cursor })
    const { tried, nextCursor } = leadingOn(await call({ filter: redriven.filter, cursor }), asked)
    cursor = nextCursor
    yield { tried, hasMore: nextCursor !== null }
  }
}

function add(before: Redrive, tried: readonly Tried[]): Redrive {
  const outcomes = { ...before.outcomes }
  for (const { outcome } of tried) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const stayed = [...before.stayed, ...tried.filter(({ outcome }) => !goOn.has(outcome))].slice(0, stayedMax)
  return { ...before, outcomes, stayed }
}
