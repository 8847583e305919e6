import { cancelJob, type Job, listJobs } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'

/** What has to be read anew when there is another job. */
export const changes = ['jobs'] as const
/** What goes on is looked at this often. */
const watchMs = 2_000

export const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running'

/** Newest first; those under way are watched. */
export const useJobs = () =>
  usePages(
    changes,
    ({ cursor, signal }) => listJobs(client(), { cursor }, { signal }).page(),
    // Of a list that is long by now every page would be read.
    (pages) => (pages.length === 1 && pages[0]?.jobs.some((job) => !isOver(job)) ? watchMs : false),
  )

export const useCancelJob = (onClose: () => void) =>
  useChange({
    changes,
    run: ({ id }: Job) => cancelJob(client(), { jobId: id }),
    onDone({ state }) {
      onClose()
      const t = text.value.jobs
      toast(state === 'cancelled' ? t.cancelled : t.wasOver)
    },
  })
