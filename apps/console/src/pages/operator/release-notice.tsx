import { useQuery } from '@tanstack/preact-query'
import { readOperatorRelease } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useAccess } from '../../api/operator-access.ts'
import { text } from '../../text/text.ts'

/** For operators and the owner: a newer release, if the service knows one. Without a response, it shows nothing. */
export function ReleaseNotice() {
  const { data } = useQuery({
    queryKey: ['operator', 'release'],
    queryFn: ({ signal }) => readOperatorRelease(client(), {}, { signal }),
    enabled: useAccess().data?.isOperator === true,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!data?.newer) return null
  const { running, newer } = data
  const t = text.value.operator
  return (
    <p class="hint" role="status">
      {t.release(newer.version, running)}{' '}
      <a href={newer.notesUrl} target="_blank" rel="noopener noreferrer">
        {t.releaseNotes}
      </a>
    </p>
  )
}
