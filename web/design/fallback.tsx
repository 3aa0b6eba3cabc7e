import { Component, type ReactNode } from 'react';

interface Props {
  children: ReactNode;
  /** What is shown where the rest could not be. */
  fallback: ReactNode;
  /** With another it is tried again. */
  of?: string;
}

/** Keeps what goes wrong in one place from taking the rest of the page with it. */
export class Fallback extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidUpdate({ of }: Props): void {
    if (of !== this.props.of && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
