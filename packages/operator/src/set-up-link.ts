import { type Command, UsageError } from './command.ts'
import { runProgram, withOwnersUrl } from './run-program.ts'

export const setUpLink: Command = {
  usage: '',
  summary: 'Prints a link that is valid for an hour and lets its holder sign in as the owner of the installation',
  async run(context) {
    if (context.args.length > 0) throw new UsageError('set-up-link takes no arguments')
    await runProgram('services/auth/src/set-up-link.ts', [], {
      ...context,
      env: withOwnersUrl(context.env, 'auth', 'DATABASE_URL'),
    })
  },
}
