import { command } from '../grammar/command.ts'
import { profileName } from '../profile/connect.ts'
import { profileNames, readProfile } from '../profile/profiles.ts'

export const profiles = command({
  name: 'profiles',
  summary: 'List the stored profiles',
  description: 'An asterisk marks the profile in use: --profile, otherwise TIDEPORT_PROFILE, otherwise "default".',
  async run(_, context) {
    const { environment, output } = context
    for (const name of await profileNames(environment)) {
      const profile = await readProfile(environment, name)
      const isChosen = name === profileName(context)
      await output.result({ profile: name, ...profile, isChosen }, `${isChosen ? '*' : ' '} ${name}  ${profile?.url}`)
    }
  },
})
