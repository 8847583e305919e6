import type { SignIn } from '@tideport/sdk'

/** How people sign in here, as the page says it: so nothing has to be asked before it is shown. */
export const waysIn: SignIn = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="tideport-sign-in"]')?.content ?? '',
)
