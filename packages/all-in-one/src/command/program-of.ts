export type Program = 'system' | 'operator' | 'cli'

const ofSystem = ['start', 'move-out']
const ofOperator = ['operator', 'backup']
/** Options that may precede the words of the command line. All others are those of the system. */
const ofCli = /^(?:--(?:help|version|json|quiet|profile|url)(?:=|$)|-[^-])/

/** The program that runs these words. Without words, the complete system starts. */
export function programOf([first = 'start']: readonly string[]): Program {
  if (ofSystem.includes(first) || (first.startsWith('-') && !ofCli.test(first))) return 'system'
  return ofOperator.includes(first) ? 'operator' : 'cli'
}
