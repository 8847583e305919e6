import { cancelRun, listRuns, type OperatorRun, type StartRunInput, startRun } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { usePages } from '../../../api/use-pages.ts'
import { toast } from '../../../app/toasts.ts'
import { text } from '../../../text/text.ts'

export type RunKind = OperatorRun['kind']

const changes = ['operator', 'runs'] as const
const watchMs = 2_000

export const isOver = ({ state }: OperatorRun): boolean => state !== 'queued' && state !== 'running'

/** Newest first; what goes on is watched. */
export const useRuns = () =>
  usePages(
    changes,
    async ({ cursor, signal }) => {
      const { runs, nextCursor } = await listRuns(client(), { cursor }, { signal }).page()
      return { items: runs, nextCursor }
    },
    { everyMs: (runs) => (runs.some((run) => !isOver(run)) ? watchMs : false) },
  )

export const useStartRun = (onClose: () => void) =>
  useChange({
    changes,
    run: (wanted: StartRunInput) => startRun(client(), wanted),
    onDone({ kind }) {
      onClose()
      const t = text.value.operator
      toast(t.started(t.runNames[kind]))
    },
  })

export const useCancelRun = (onClose: () => void) =>
  useChange({
    changes,
    run: ({ id }: OperatorRun) => cancelRun(client(), { runId: id }),
    onDone({ state }) {
      onClose()
      const t = text.value.operator
      toast(state === 'cancelled' ? t.cancelled : t.wasOver)
    },
  })
