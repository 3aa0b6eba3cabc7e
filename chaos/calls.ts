import { type FieldKind, openingOf, type PlannedCall, type Play, refOf } from './play';

const OPTIONS = ['Red', 'Green', 'Blue'].map((label) => ({ label }));
const LETTERS = ['first', 'second', 'third'];

/** The calls of a turn as the model writes them. Another attempt at the same turn has ids of its own, as a model's would. */
export function callsOf(play: Play, step: number, attempt: number, host: string) {
  const planned = play.steps[step]?.calls ?? [];
  return planned.map((call, at) => ({
    id: `toolu_${play.name}_${step}_${at}_${attempt}`,
    ...writtenOf(call, refOf(play.name, step, at), host),
  }));
}

function writtenOf(call: PlannedCall, ref: string, host: string): { name: string; input: unknown } {
  switch (call.tool) {
    case 'ask': {
      const questions = call.fields.map((kind, at) => fieldOf(kind, `Which is the ${LETTERS[at]} (${ref})?`));
      const { timeout, onTimeout } = call;
      return {
        name: 'ask_user_question',
        input: { questions, timeout, onTimeout, ...(call.remind ? { remind: ['1s'] } : {}) },
      };
    }
    case 'confirm':
      return { name: 'confirm_action', input: { action: `Do it (${ref})`, arguments: { ref } } };
    case 'todos':
      return { name: 'write_todos', input: { todos: [{ content: `Do ${ref}`, status: 'pending' }] } };
    case 'request': {
      const hangUp = call.isHungUpOn ? '&hangUp=1' : '';
      const url = `http://${host}/run/${ref}?takes=${call.takesMs}${hangUp}`;
      return { name: 'http_request', input: { url, method: call.method } };
    }
    case 'delegate':
      return { name: 'delegate', input: { agent: 'helper', task: openingOf(call.play) } };
  }
}

function fieldOf(kind: FieldKind, question: string): object {
  switch (kind) {
    case 'choice':
      return { question, options: OPTIONS, allowOther: false, default: 'Red' };
    case 'open choice':
      return { question, options: OPTIONS, default: 'Red' };
    case 'choices':
      return { question, options: OPTIONS, allowOther: false, multiSelect: true, default: ['Red'] };
    case 'number':
      return { question, schema: { type: 'integer', minimum: 1, maximum: 100 }, default: 7 };
    case 'text':
      return { question, default: 'nothing' };
  }
}
