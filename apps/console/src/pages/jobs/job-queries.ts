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
    async ({ cursor, signal }) => {
      const { jobs, nextCursor } = await listJobs(client(), { cursor }, { signal }).page()
      return { items: jobs, nextCursor }
    },
    { everyMs: (jobs) => (jobs.some((job) => !isOver(job)) ? watchMs : false) },
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
