interface Progress {
  done: number;
  total?: number;
  unit: string;
  note?: string;
}
type Counter = (chunk: string) => Progress;
interface Step {
  what: string;
  progress?: Progress;
  seconds: number;
  frame?: number;
}
interface GoProgress {
  countRequirements(goMod: string): number;
  createDownloadCounter(total: number): Counter;
  createPackageCounter(stale?: Set<string>): Counter;
  removePackageLines(output: string, stale?: Set<string>): string;
}
interface ProgressFormat {
  formatTerminalLine(step: Step, width: number): string;
  formatPlainLine(step: Step): string;
}

const { countRequirements, createDownloadCounter, createPackageCounter, removePackageLines }: GoProgress =
  require('../../../scripts/setup/download/go-progress.mjs');
const { formatTerminalLine, formatPlainLine }: ProgressFormat = require('../../../scripts/setup/progress.mjs');

describe('the progress of a build with Go', () => {
  it('has as many modules to download as go.mod requires', () => {
    const goMod = `module example.com/it

go 1.24

require example.com/single v1.0.0

require (
	example.com/one v1.0.0
	// a comment
	example.com/two v1.0.0 // indirect

)

replace (
	example.com/one => example.com/other v1.0.0
)

require (
	example.com/three v1.0.0 // indirect
)
`;
    expect(countRequirements(goMod)).toBe(4);
    expect(countRequirements('module example.com/it\n')).toBe(0);
  });

  it('counts the modules that Go downloads', () => {
    const count = createDownloadCounter(3);
    expect(count('')).toEqual({ done: 0, total: 3, unit: 'modules' });
    expect(count('go: downloading example.com/one v1.0.0\ngo: downl')).toMatchObject({ done: 1 });
    expect(count('oading example.com/two v1.0.0\nstale example.com/it\n')).toMatchObject({
      done: 2,
      total: 3,
    });
  });

  const stale = new Set(['errors', 'example.com/it', 'example.com/it/cmd']);

  it("counts the packages to compile, each once, and nothing else in Go's output", () => {
    const count = createPackageCounter(stale);
    expect(count('')).toMatchObject({ done: 0, total: 3, unit: 'packages' });
    expect(count('go: downloading example.com/it v1.0.0\nerrors\nexample.com/')).toMatchObject({ done: 1 });
    expect(count('it\n# example.com/it\nwarning\nexample.com/it\n')).toMatchObject({ done: 2 });
    expect(count('fmt\n').note).toBeUndefined();
    expect(count('example.com/it/cmd\n')).toEqual({ done: 3, total: 3, unit: 'packages', note: 'linking' });
  });

  it('has a count but no total if that is unknown', () => {
    const count = createPackageCounter();
    expect(count('errors\ngo: downloading x v1\nexample.com/it\n# example.com/it\n')).toEqual({
      done: 2,
      total: undefined,
      unit: 'packages',
      note: undefined,
    });
  });

  it('omits the packages from the reason of a failure', () => {
    const output = 'errors\n# example.com/it\nit.go:1:1: undefined: x\nexample.com/it/cmd\nkilled\n';
    expect(removePackageLines(output, stale)).toBe('# example.com/it\nit.go:1:1: undefined: x\nkilled\n');
    expect(removePackageLines(output)).toBe('# example.com/it\nit.go:1:1: undefined: x\n');
  });
});

describe('the line of a step', () => {
  const step: Step = {
    what: 'Building the Temporal server with Go',
    progress: { done: 624, total: 1248, unit: 'packages' },
    seconds: 45,
    frame: 0,
  };

  it('has the count, and a bar if there is room', () => {
    const text = '⠋ Building the Temporal server with Go… 624 of 1,248 packages, 45 s';
    expect(formatTerminalLine(step, 79)).toBe(`${text} █████░░░░░░`);
    expect(formatTerminalLine(step, 200)).toBe(`${text} ${'█'.repeat(12)}${'░'.repeat(12)}`);
    expect(formatTerminalLine(step, 75)).toBe(text);
  });

  it('is never wider than the terminal', () => {
    for (let width = 1; width < 120; width++) expect(formatTerminalLine(step, width).length).toBeLessThanOrEqual(width);
  });

  it('has only the time if nothing can be counted', () => {
    expect(formatTerminalLine({ what: 'Building', seconds: 3, frame: 1 }, 79)).toBe('⠙ Building… 3 s');
    expect(formatPlainLine({ what: 'Building', seconds: 15 })).toBe('Building: running, 15 s elapsed');
  });

  it('has the step, the count and the current item without a terminal', () => {
    expect(formatPlainLine(step)).toBe('Building the Temporal server with Go: 624 of 1,248 packages, 45 s elapsed');
    const linking = { done: 3, total: 3, unit: 'packages', note: 'linking' };
    expect(formatPlainLine({ ...step, progress: linking })).toContain(': 3 of 3 packages, linking, 45 s elapsed');
    const unknown = { done: 12, unit: 'MB' };
    expect(formatPlainLine({ ...step, progress: unknown })).toContain(': 12 MB, 45 s elapsed');
  });
});
