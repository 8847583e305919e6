import { html } from './html.ts'
import { pageOf } from './layout.ts'

export function lockedPage(token: string): string {
  return pageOf(
    'Password required',
    html`<h1>Password required</h1>
<p class="soft">Ask the sender of this link for the password.</p>
${passwordForm(token)}`,
  )
}

export function wrongPasswordPage(token: string): string {
  return pageOf(
    'Wrong password',
    html`<h1>Password required</h1>
<p class="alarm" role="alert">Wrong password. Try again.</p>
${passwordForm(token)}`,
  )
}

const passwordForm = (token: string) => html`<form method="post" action="${token}">
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="256" autocomplete="off" autofocus>
<button>Open</button>
</form>`
