import { AppError } from '@tideport/service-kit/app-error'

export interface UrlRules {
  /** Plain http is for development only. */
  allowHttp: boolean
}

const FORBIDDEN_CHARACTERS = /[\s\p{Cc}]/u

/** Throws `validation_failed` for a URL that no delivery may be sent to. Parsed by the rules of whoever sends: WHATWG's. */
export function assertWebhookUrl(text: string, rules: UrlRules): void {
  const message = findFault(text, rules)
  if (message === null) return
  throw new AppError('validation_failed', 'The webhook URL cannot be used', {
    details: { issues: [{ path: 'url', message }] },
  })
}

function findFault(text: string, { allowHttp }: UrlRules): string | null {
  // The parser would drop blanks and line breaks silently.
  if (FORBIDDEN_CHARACTERS.test(text)) return 'Must not contain blanks or control characters'
  const url = URL.parse(text)
  if (url === null) return 'Must be an absolute URL'
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'Must be an https URL'
  if (url.username !== '' || url.password !== '') return 'Must not contain a user name or password'
  if (url.hash !== '') return 'Must not contain a fragment'
  return null
}
