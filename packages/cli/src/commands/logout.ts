import { command } from '../grammar/command.ts'
import { profileName } from '../profile/connect.ts'
import { forgetKey, readKey, readProfile, removeProfile } from '../profile/profiles.ts'
import { systemKeyring } from '../profile/secrets.ts'
import { parseSession, revokeSession } from '../sign-in/session.ts'

export const logout = command({
  name: 'logout',
  summary: 'Delete a profile and its key, or revoke its login',
  description:
    'A login is revoked at the identity provider; access tokens that it issued expire soon afterwards. An API key stays valid\n' +
    'until you revoke it (tideport keys revoke).',
  async run(_, context) {
    const { environment, output, signal } = context
    const name = profileName(context)
    const profile = await readProfile(environment, name)
    if (!profile) throw new Error(`Profile "${name}" does not exist`)
    const secret = await readKey(name, profile, systemKeyring).catch(() => null)
    const session = secret === null ? null : parseSession(secret)
    const revoked = session && (await revokeSession(session, signal))
    await forgetKey(name, profile, systemKeyring).catch(({ message }: Error) =>
      output.complaint(`${message}. The key of profile "${name}" may still be stored`),
    )
    await removeProfile(environment, name)
    if (revoked === false) output.complaint(`The login could not be revoked at ${session?.issuer}. Revoke it there`)
    await output.result({ profile: name, ...(session && { revoked }) }, `Deleted profile "${name}"`)
  },
})
