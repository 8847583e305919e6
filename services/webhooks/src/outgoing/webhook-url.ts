import { findUrlFault, type UrlRules } from '@tideport/service-kit/outgoing/url-fault'
import { AppError } from '@tideport/service-kit/process/app-error'

/** Throws `validation_failed` if deliveries must not be sent to the URL. */
export function assertWebhookUrl(text: string, rules: UrlRules): void {
  const message = findUrlFault(text, rules)
  if (message === null) return
  throw new AppError('validation_failed', 'The webhook URL cannot be used', {
    details: { issues: [{ path: 'url', message }] },
  })
}
