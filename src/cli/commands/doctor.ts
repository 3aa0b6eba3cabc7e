import type { Context, Run } from '#cli/context';
import type { Check } from '#cli/doctor/check';
import { examine } from '#cli/doctor/examine';
import { EXIT } from '#cli/exit';
import { safeLine } from '#cli/text/safe';
import { wrap } from '#cli/text/wrap';

export const run: Run = async (context) => {
  const { terminal, isJson } = context;
  const { checks, isRefused } = await examine(context);
  const isOk = checks.every(({ state }) => state !== 'fail');
  if (isJson) terminal.printJson({ ok: isOk, checks });
  else terminal.print(...checks.flatMap((check) => linesOf(check, context)), '', summary(checks));
  if (isRefused) return EXIT.refused;
  return isOk ? EXIT.completed : EXIT.failed;
};

const SIGNS = { ok: ['✓', 'good'], warn: ['!', 'warn'], fail: ['✗', 'bad'] } as const;
const NAMES = 10;

function linesOf({ name, state, said, next }: Check, { terminal }: Context): string[] {
  const [sign, tone] = SIGNS[state];
  const { style } = terminal;
  const rest = ' '.repeat(NAMES + 2);
  const first = `${style[tone](sign)} ${style.bold(name.padEnd(NAMES))}`;
  const lines = wrap(safeLine(said), terminal.width(), { first, rest });
  return next
    ? [...lines, ...wrap(safeLine(next), terminal.width(), { first: `${rest}→ `, rest: `${rest}  ` })]
    : lines;
}

function summary(checks: Check[]): string {
  const count = (wanted: Check['state']) => checks.filter(({ state }) => state === wanted).length;
  const [wrong, odd] = [count('fail'), count('warn')];
  if (wrong > 0) return `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong.`;
  return odd > 0 ? 'It works. Have a look at what is marked with !.' : 'All is well.';
}
