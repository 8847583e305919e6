import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { cancel, jobs } from './jobs.ts'

/** Jobs continue when the console is closed. */
export function JobsTray() {
  const { app, underWay: t } = text.value
  if (jobs.value.length === 0) return null
  return (
    <section class="tray" aria-label={t.title}>
      <ul>
        {jobs.value.map((job) => (
          <li key={job.id} class="tray-item">
            <span class="tray-name">{t.kinds[job.kind]}</span>
            <span class="hint">{t.soFar(job.done)}</span>
            <Button label={`${app.stop}: ${t.kinds[job.kind]}`} onClick={() => void cancel(job.id)} text={app.stop} />
          </li>
        ))}
      </ul>
    </section>
  )
}
