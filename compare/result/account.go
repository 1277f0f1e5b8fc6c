package result

import "fmt"

// Check says whether the accounts of the phase add up: every expected message was received, dropped, failed, or is still owed.
func (p Phase) Check() error {
	sum := p.Received + p.Dropped + p.Failed + p.Owed
	if sum != p.Expected {
		return fmt.Errorf("the accounts do not add up: received %d + dropped %d + failed %d + owed %d = %d, expected %d",
			p.Received, p.Dropped, p.Failed, p.Owed, sum, p.Expected)
	}
	if min(p.Received, p.Dropped, p.Failed, p.Owed) < 0 {
		return fmt.Errorf("the accounts have a negative entry: received %d, dropped %d, failed %d, owed %d",
			p.Received, p.Dropped, p.Failed, p.Owed)
	}
	return nil
}
