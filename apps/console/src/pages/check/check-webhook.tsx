import { useMutation } from '@tanstack/preact-query'
import { createWebhook, deleteWebhook, testWebhook } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { describeError, issuesOf } from '../../api/describe-error.ts'
import { text } from '../../text/text.ts'
import { shown } from '../../text/visible.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { submitted, typedIn } from '../../ui/form-fields.tsx'
import type { Finding } from './finding.ts'
import { FindingRow } from './finding-row.tsx'

/** Sends a test delivery to a receiver, through a webhook that exists only for the test. */
async function sendTest(url: string): Promise<Finding> {
  const t = text.value.check
  const { id } = await createWebhook(client(), { url, events: ['file.hot'] })
  try {
    const { success, statusCode, error } = await testWebhook(client(), { webhookId: id })
    if (success) return { name: 'webhook', look: 'good', text: t.delivered(statusCode) }
    return { name: 'webhook', look: 'bad', text: t.notDelivered(shown(error ?? String(statusCode))) }
  } finally {
    await deleteWebhook(client(), { webhookId: id }).catch(() => {})
  }
}

export function CheckWebhook() {
  const t = text.value.check
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: sendTest,
    gcTime: 0,
    meta: { toldByForm: true },
  })
  return (
    <section class="section">
      <h2>{t.webhookTitle}</h2>
      <form class="form" onSubmit={submitted((fields) => !isPending && mutate(typedIn(fields, 'url')))}>
        <Field
          label={t.webhookUrl}
          hint={t.webhookHint}
          error={error === null ? undefined : describeError(error, issuesOf(error))}
          name="url"
          type="url"
          required
          maxLength={2048}
        />
        <div class="form-end">
          <Button type="submit" busy={isPending} text={t.send} />
        </div>
      </form>
      <ul class="rows" aria-label={t.webhookTitle} aria-live="polite">
        {data && <FindingRow finding={data} />}
      </ul>
    </section>
  )
}
