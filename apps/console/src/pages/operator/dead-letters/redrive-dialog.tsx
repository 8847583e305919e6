import { useSignal } from '@preact/signals'
import { useMutation } from '@tanstack/preact-query'
import { useEffect, useRef } from 'preact/hooks'
import { describeError } from '../../../api/describe-error.ts'
import { leadingOn } from '../../../api/pages-query.ts'
import { queryClient } from '../../../api/query-client.ts'
import { number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { type KindName, type LetterFilter, letterKinds, type Tried, type Wanted } from './kinds.ts'

interface RedriveDialogProps {
  kind: KindName
  redriven: Redriven
  onClose: () => void
}

export function RedriveDialog({ kind, redriven, onClose }: RedriveDialogProps) {
  const { app, operator: t } = text.value
  const { redrive, error, look, start, stop } = useRedriving(kind, redriven)
  const { at } = redrive
  const wouldBe = wouldBeTried(redrive)
  return (
    <Dialog title={t.redriveTitle} onClose={onClose}>
      <p role="status">{error === null ? describe(redrive) : ''}</p>
      {at === 'asking' && wouldBe > 0 && <p class="hint">{t.redriveText}</p>}
      {at === 'running' && <progress aria-label={t.redriveTitle} />}
      {at !== 'looking' && <Outcomes redrive={redrive} />}
      <p class="form-error" role="alert">
        {error === null ? '' : describeError(error)}
      </p>
      <div class="form-end">
        <Button onClick={onClose} text={at === 'asking' ? app.cancel : app.close} />
        {at === 'looking' && error !== null && <Button onClick={look} text={app.retry} />}
        {at === 'asking' && wouldBe > 0 && <Button look="main" onClick={start} text={app.retry} />}
        {at === 'running' && <Button onClick={stop} text={app.stop} />}
      </div>
    </Dialog>
  )
}

function describe(redrive: Redrive): string {
  const t = text.value.operator
  const { tried, others } = tally(redrive)
  if (redrive.at === 'looking') return t.redriveLooking
  if (redrive.at === 'running') return t.redriveRunning(tried + others)
  if (redrive.at === 'stopped') return t.redriveStopped(tried)
  if (redrive.at === 'done') return t.redriveDone(tried, others)
  const would = wouldBeTried(redrive)
  if (would === 0) return t.redriveNothing
  return redrive.hasMore ? t.redriveWouldMore(would) : t.redriveWould(would)
}

function Outcomes({ redrive: { outcomes, stayed } }: { redrive: Redrive }) {
  const { app, operator: t } = text.value
  const nameOf = (word: string) => t.outcomes[word as keyof typeof t.outcomes] ?? word
  return (
    <>
      <Facts facts={Object.entries(outcomes).map(([word, count]) => [nameOf(word), number(count)] as const)} />
      {stayed.length > 0 && (
        <details class="fold">
          <summary>{app.outcome}</summary>
          <ul class="operator-outcomes" aria-label={app.outcome}>
            {stayed.map((one) => (
              <li key={one.id}>
                <code>{one.id}</code> {nameOf(one.outcome)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

export const changes = ['operator', 'dead letters'] as const

export type Redriven = { ids: readonly string[] } | { filter: LetterFilter }

/** `looking`: the dry run is in progress. */
interface Redrive {
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

function tally({ outcomes }: Redrive): { tried: number; others: number } {
  const sum = (isWanted: (word: string) => boolean) =>
    Object.entries(outcomes).reduce((total, [word, count]) => total + (isWanted(word) ? count : 0), 0)
  return { tried: sum((word) => goOn.has(word)), others: sum((word) => !goOn.has(word)) }
}

const wouldBeTried = ({ outcomes }: Redrive): number => outcomes.would_be_tried ?? 0

/** Begins with a dry run. `start` then retries call by call until all are done or `stop` is called. */
function useRedriving(kind: KindName, redriven: Redriven) {
  const { mutateAsync, error } = useMutation({
    mutationFn: ({ wanted, dryRun }: { wanted: Wanted; dryRun: boolean }) =>
      letterKinds[kind].redrive?.(wanted, dryRun) ?? Promise.reject(new Error(`${kind} cannot be retried`)),
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
      // The dry run stops at the first match, because millions of letters may match.
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
