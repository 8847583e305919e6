import type { Job } from '@tideport/sdk'
import { number } from '../../text/format.ts'
import { text } from '../../text/text.ts'

/** The files that a job left as they were, as far as it tells them. */
export function JobFailures({ job: { failures, failed } }: { job: Job }) {
  const t = text.value.jobs
  return (
    <details class="fold">
      <summary>{t.failures}</summary>
      <ul>
        {failures.map(({ fileId, path, code }) => (
          <li key={fileId}>
            <bdi>{path}</bdi> <code>{code}</code>
          </li>
        ))}
      </ul>
      {failed > failures.length && <p class="hint">{t.moreFailures(number(failed - failures.length))}</p>}
    </details>
  )
}
