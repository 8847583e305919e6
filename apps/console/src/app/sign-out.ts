import { revokeApiKey } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { toastFailure } from '../api/toasts.ts'
import { isLeaving, unsavedKey } from '../private/unsaved-key.ts'
import { ended, forget, session } from '../session/session.ts'
import { text } from '../text/text.ts'
import { forgetUploadsOf } from '../uploads/journal.ts'
import { ownerNow } from '../uploads/owner.ts'

/** Warns first when a new key's recovery file is not saved. */
export async function signOut(): Promise<void> {
  if (unsavedKey.peek() === null) await signOutNow()
  else isLeaving.value = true
}

/** Removes the user's data. Other tabs keep the data of other accounts. */
export async function signOutNow(): Promise<void> {
  const { value } = session
  const leaving = client()
  forget()
  void forgetUploadsOf(ownerNow())
  session.value = null
  ended.value = null
  if (value?.kind === 'provider') await value.leave().catch(() => toastFailure(text.value.signIn.leftHere))
  if (value?.kind === 'key' && value.sessionId !== undefined) {
    // Otherwise, the session expires.
    await revokeApiKey(leaving, { apiKeyId: value.sessionId }).catch(() => {})
  }
}
